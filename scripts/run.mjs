// Entry of every root command. This file alone has to be read by any Node from 12 on, so that an old one is told and does
// not fail with a stack: no newer syntax here, and everything else is imported after the version is known.
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
