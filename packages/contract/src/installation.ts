import { z } from 'zod'
import { staff } from './api/access.ts'
import { errors } from './api/fields.ts'
import { defineMethod } from './api/method.ts'

/** The sections of the page of an installation, in its order. */
export const installationGroups = ['Reach', 'People', 'Billing', 'Help', 'Engines', 'Data'] as const

/** A capability of an installation that depends on its configuration. */
export const installationPart = z.object({
  key: z.string(),
  group: z.enum(installationGroups),
  title: z.string(),
  /** `set` by a setting; `built_in` needs no setting; `missing` has no effect until it is set. */
  state: z.enum(['set', 'built_in', 'missing']),
  /** Its present effect, or the effect of its absence, as a sentence. Never a secret. */
  detail: z.string(),
  /** The settings that configure it, those to set first. */
  settings: z.array(z.string()),
  /** Its place in the documentation, such as `configuration#payments-with-stripe`. */
  docs: z.string(),
})
export type InstallationPart = z.infer<typeof installationPart>

export const installation = {
  get: defineMethod({
    name: 'installation.get',
    verb: 'GET',
    path: '/installation',
    access: staff,
    summary:
      'Lists what this installation is configured for and what is not set. Platform admins only. Holds no secret.',
    response: z.object({ version: z.string(), parts: z.array(installationPart) }),
    errors: [errors.forbidden],
  }),
}
