import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** The settings that the web application needs before sign-in. Any caller may read them: they hold no secret. */
export const getConfig =
  ({ clientConfig }: Pick<ControlDeps, 'clientConfig'>): Handler<typeof methods.config.get> =>
  async () =>
    clientConfig
