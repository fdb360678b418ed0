import type { Handlers } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { createApiKey } from './create.ts'
import { deleteApiKey } from './delete.ts'
import { listApiKeys } from './list.ts'
import { rotateApiKey } from './rotate.ts'

/** The handlers of the API keys of organizations and workspaces. */
export const apiKeyHandlers = (
  deps: Pick<ControlDeps, 'db' | 'clock'> & { keysChanged: () => void },
): Pick<Handlers, 'apiKeys'> => ({
  apiKeys: {
    list: listApiKeys(deps),
    create: createApiKey(deps),
    rotate: rotateApiKey(deps),
    delete: deleteApiKey(deps),
  },
})
