"""From a table and its labels to a model: train the network, decode it, search, count."""
