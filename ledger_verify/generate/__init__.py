"""Test tasks from a policy: cases that the solver finds, replayed through the gate."""
