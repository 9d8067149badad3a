"""Static checks of a domain, one a file; the docstring of a check is its documentation."""
