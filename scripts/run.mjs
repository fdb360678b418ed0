// Entry of every root command. Node 12 and later must be able to parse this file, so that an old Node prints a message
// and no stack. So the file has no newer syntax, and imports everything else after the version is checked.
const oldest = 20
if (Number(process.versions.node.split('.')[0]) < oldest) {
  process.stderr.write(
    'Tributary needs Node ' +
      oldest +
      ' or newer, and this is Node ' +
      process.versions.node +
      ': install a newer one from https://nodejs.org or with your version manager, and run the command again.\n',
  )
  process.exitCode = 1
} else {
  void import('./launch/launch.mjs').then(({ launch }) => launch())
}
