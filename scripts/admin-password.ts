// npm run admin-password [-- --email <address>]: sets a new password for an administrator. The password is
// TRIBUTARY_ADMIN_PASSWORD, or a generated one, which is printed. The command works whether or not the product is
// running.

import { createLogger } from '../apps/server/src/operations/logger.ts'
import { setAdminPassword } from '../apps/server/src/secrets/admin-password.ts'
import { configOf, given, runCommand } from './command-line.ts'

await runCommand('admin-password', async () => {
  const { values } = given({ email: { type: 'string' } }, 0)
  const { email, generatedPassword } = await setAdminPassword(configOf(), {
    email: values.email,
    logger: createLogger('error'),
  })
  console.log(
    generatedPassword === undefined
      ? `The password of ${email} is now the one of TRIBUTARY_ADMIN_PASSWORD. All its sessions have ended.`
      : `  email     ${email}\n  password  ${generatedPassword}\nThis password is shown only once. All sessions of the account have ended.`,
  )
})
