inputs = {
  hosts = 3
}
