"""Types of records and arguments, from JSON Schema or pydantic models, and values that fit them."""
