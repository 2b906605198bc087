"""What the types say may be missing, and a test knows to be there."""

from __future__ import annotations

from typing import TypeVar

Value = TypeVar("Value")


def there(value: Value | None) -> Value:
    """Return a value that is not None."""
    assert value is not None
    return value
