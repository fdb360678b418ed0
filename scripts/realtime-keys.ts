// npm run realtime-keys: prints the credentials that server libraries of the Pusher protocol need to publish through
// this product.
import { realtimeCredentials } from '../apps/server/src/secrets/realtime-credentials.ts'
import { readKeyFile } from '../apps/server/src/secrets/secret-key.ts'
import { configOf, given, runCommand } from './command-line.ts'

await runCommand('realtime-keys', async () => {
  given({}, 0)
  const config = configOf()
  const secretKey = config.secretKey ?? (await readKeyFile(config.dataDir))
  if (secretKey === undefined)
    throw new Error(`There is no secret key in ${config.dataDir} yet. The first \`npm start\` creates it.`)
  const { appId, key, secret } = realtimeCredentials(secretKey)
  console.log(`app ID  ${appId}\nkey     ${key}\nsecret  ${secret}`)
})
