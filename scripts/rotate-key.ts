// npm run rotate-key [-- --new-key-file <file>]: seals all credentials with a new secret key. The product must be stopped.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../apps/server/src/config.ts'
import { installFault } from '../apps/server/src/faults.ts'
import { createLogger } from '../apps/server/src/logger.ts'
import { rotateSecretKey } from '../apps/server/src/secret-key-rotation.ts'

const [option, file, ...rest] = process.argv.slice(2)
if ((option !== undefined && (option !== '--new-key-file' || file === undefined)) || rest.length > 0) {
  console.error('Usage: npm run rotate-key [-- --new-key-file <file>]')
  process.exit(2)
}
try {
  const config = readConfig(process.env)
  installFault(config.fault)
  const { count, configured } = await rotateSecretKey(config, {
    ...(file === undefined ? {} : { newKey: readFileSync(file, 'utf8').trim() }),
    logger: createLogger('warn'),
  })
  console.log(
    `${count} ${count === 1 ? 'credential is' : 'credentials are'} sealed with the new key, which is in ${join(config.dataDir, 'secret.key')}`,
  )
  if (configured)
    console.log('Take TRIBUTARY_SECRET_KEY out of the environment now, or set it to the content of that file.')
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
