"""All pairs: searches from every source, whose rows of distances are reduced as they are found."""
