"""Networks that are downloaded by name: the DIMACS catalogue, OpenStreetMap places, the store and the cache."""
