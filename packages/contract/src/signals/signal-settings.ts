import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { errors, maskQuery, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { eventPath } from '../rules/conditions.ts'

/** The choices for events without consent data. */
export const withoutConsentChoices = ['send', 'leave_out'] as const

export const signalSettings = z.object({
  /** `workspaces/{id}/signalSettings`. */
  name: z.string(),
  without_consent: z.enum(withoutConsentChoices),
  /** The path in events of the consent to share data for ads. */
  consent_path: z.string(),
  update_time: time.nullable(),
})
export type SignalSettings = z.infer<typeof signalSettings>

/** The default path of the consent. */
export const defaultConsentPath = 'context.consent.categoryPreferences.advertising'

export const signalSettingsMethods = {
  get: defineMethod({
    name: 'signalSettings.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/signalSettings',
    access: workspaceMembers,
    summary: 'Gets what holds for all signals of a workspace.',
    response: signalSettings,
    errors: [errors.notFound],
  }),
  update: defineMethod({
    name: 'signalSettings.update',
    verb: 'PATCH',
    path: '/workspaces/{workspace}/signalSettings',
    access: workspaceEditors,
    followedBy: ['signals'],
    summary: 'Changes what holds for all signals of a workspace. Applies from the next event.',
    query: maskQuery,
    request: z.object({
      without_consent: z.enum(withoutConsentChoices).optional(),
      consent_path: eventPath.optional(),
    }),
    response: signalSettings,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
}
