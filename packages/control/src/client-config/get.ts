import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** What the web application needs to know before anybody signs in. Everybody may read it: it holds no secret. */
export const getConfig =
  ({ clientConfig }: Pick<ControlDeps, 'clientConfig'>): Handler<typeof methods.config.get> =>
  async () =>
    clientConfig
