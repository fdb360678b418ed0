import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { readPrivacyRequest } from './read.ts'

/** A privacy request with how far each place is. */
export const getPrivacyRequest =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.privacyRequests.get> =>
  ({ workspace, params }) =>
    readPrivacyRequest(db, workspace.id, params.privacy_request)
