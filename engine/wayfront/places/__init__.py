"""Points that tables bring, and where they lie on a network's roads."""
