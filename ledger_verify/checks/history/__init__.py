"""What the checks of earlier calls share."""
