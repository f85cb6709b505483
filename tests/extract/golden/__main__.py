from tests.extract.golden import write

write()
