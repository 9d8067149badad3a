"""What every check works with: findings, jobs, places in files, data."""
