// npm run rotate-key [-- --new-key-file <file>]: encrypts all credentials with a new secret key. The product must be
// stopped.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installFault } from '../apps/server/src/operations/faults.ts'
import { createLogger } from '../apps/server/src/operations/logger.ts'
import { rotateSecretKey } from '../apps/server/src/secrets/secret-key-rotation.ts'
import { configOf, given, runCommand, userPath } from './command-line.ts'

await runCommand('rotate-key', async () => {
  const file = given({ 'new-key-file': { type: 'string' } }, 0).values['new-key-file']
  const config = configOf()
  installFault(config.fault)
  const { count, configured } = await rotateSecretKey(config, {
    ...(file === undefined ? {} : { newKey: readFileSync(userPath(file), 'utf8').trim() }),
    logger: createLogger('warn'),
  })
  console.log(
    `${count} ${count === 1 ? 'credential is' : 'credentials are'} encrypted with the new key, which is in ${join(config.dataDir, 'secret.key')}`,
  )
  if (configured)
    console.log('Now remove TRIBUTARY_SECRET_KEY from the environment, or set it to the content of that file.')
})
