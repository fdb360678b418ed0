import { z } from 'zod'
import { workspaceEditors } from '../api/access.ts'
import { empty, errors, exactObject, line, maskQuery, reference, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { syncMode, syncModeInput } from '../rules/catalog.ts'

/** Maximum characters of the settings of a draft, as JSON. */
export const syncDraftCharacters = 128 * 1024

/** Whether a valid sync can be created from the chosen values. */
export const configurationStatuses = ['none', 'checking', 'valid', 'invalid'] as const
const configurationStatus = z.enum(configurationStatuses)
export type ConfigurationStatus = z.infer<typeof configurationStatus>

const chosen = reference.nullable()

/** A change of a draft. An absent field keeps its value; null resets it. */
const change = z.object({
  /** Name of a model, or of an audience. */
  source: chosen,
  audience: chosen,
  /** `catalogDestinations/{slug}`. */
  catalog_destination: chosen,
  destination: chosen,
  /** Name of a row object of the destination's app. */
  target_object: line(300).nullable(),
  sync_type: syncModeInput.nullable(),
  /** All other entered values. */
  settings: exactObject
    .refine((value) => JSON.stringify(value).length <= syncDraftCharacters, 'The settings of the draft are too long')
    .nullable(),
  /** Problems by field. */
  errors: z.record(line(300), line(1000)).nullable(),
  configuration_status: configurationStatus.nullable(),
})

/** A sync that a user is about to create. */
export const syncDraft = change.extend({
  /** `workspaces/{id}/syncDraft`. */
  name: z.string(),
  sync_type: syncMode.nullable(),
  settings: exactObject,
  errors: z.record(z.string(), z.string()),
  configuration_status: z.object({ previous: configurationStatus, current: configurationStatus }),
  /** The time of the last change; null while the draft is empty. */
  update_time: time.nullable(),
})
export type SyncDraft = z.infer<typeof syncDraft>

export const syncDrafts = {
  get: defineMethod({
    name: 'syncDrafts.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/syncDraft',
    access: workspaceEditors,
    summary: "Gets the caller's draft of a sync. Each editor, and each API key, has one in each workspace.",
    response: syncDraft,
    errors: [errors.forbidden, errors.notFound],
  }),
  update: defineMethod({
    name: 'syncDrafts.update',
    verb: 'PATCH',
    path: '/workspaces/{workspace}/syncDraft',
    access: workspaceEditors,
    summary:
      "Updates the caller's draft of a sync. Null resets a field. What it names is validated when the sync is created.",
    query: maskQuery,
    request: change.partial(),
    response: syncDraft,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  delete: defineMethod({
    name: 'syncDrafts.delete',
    verb: 'DELETE',
    path: '/workspaces/{workspace}/syncDraft',
    access: workspaceEditors,
    summary: "Discards the caller's draft of a sync.",
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
}
