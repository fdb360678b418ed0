import { z } from 'zod'
import { workspaceEditors } from '../api/access.ts'
import { empty, errors, exactObject, maskQuery, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'

/** Maximum characters of a draft, as JSON. */
export const signalDraftCharacters = 128 * 1024

const entered = exactObject.refine(
  (value) => JSON.stringify(value).length <= signalDraftCharacters,
  'The draft is too long',
)

/** A signal that a user is about to create. */
export const signalDraft = z.object({
  /** `workspaces/{id}/signalDraft`. */
  name: z.string(),
  /** The entered values, in the structure that the page uses; empty in a new draft. */
  entered: exactObject,
  /** The time of the last change; null while the draft is empty. */
  update_time: time.nullable(),
})
export type SignalDraft = z.infer<typeof signalDraft>

export const signalDrafts = {
  get: defineMethod({
    name: 'signalDrafts.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/signalDraft',
    access: workspaceEditors,
    summary: "Gets the caller's draft of a signal. Each editor, and each API key, has one in each workspace.",
    response: signalDraft,
    errors: [errors.forbidden, errors.notFound],
  }),
  update: defineMethod({
    name: 'signalDrafts.update',
    verb: 'PATCH',
    path: '/workspaces/{workspace}/signalDraft',
    access: workspaceEditors,
    summary: "Updates the caller's draft of a signal. What it names is validated when the signal is created.",
    query: maskQuery,
    request: z.object({ entered }).partial(),
    response: signalDraft,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  delete: defineMethod({
    name: 'signalDrafts.delete',
    verb: 'DELETE',
    path: '/workspaces/{workspace}/signalDraft',
    access: workspaceEditors,
    summary: "Discards the caller's draft of a signal.",
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
}
