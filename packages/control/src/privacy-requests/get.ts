import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { readPrivacyRequest } from '@tributary/privacy'
import type { ControlDeps } from '../deps.ts'

/** Returns a privacy request with its progress in each store. */
export const getPrivacyRequest =
  (deps: Pick<ControlDeps, 'db' | 'rewriteFiles'>): Handler<typeof methods.privacyRequests.get> =>
  ({ workspace, params }) =>
    readPrivacyRequest(deps, workspace.id, params.privacy_request)
