"""The steps of the two chains: one verb, one file, one public function of that name; none imports another."""
