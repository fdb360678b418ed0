// Entry of every root command. Any Node from 12 on has to parse this file, so that an old one prints a message and no
// stack. It has no newer syntax, and everything else is imported after the version is checked.
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
