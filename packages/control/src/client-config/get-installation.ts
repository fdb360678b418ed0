import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** Returns the configuration of the installation, for platform admins. */
export const getInstallation =
  ({ installation }: Pick<ControlDeps, 'installation'>): Handler<typeof methods.installation.get> =>
  async () =>
    installation()
