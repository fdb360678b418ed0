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
  /**
   * `set`: a setting configures the capability. `built_in`: it needs no setting. `missing`: it does not work until it
   * is configured.
   */
  state: z.enum(['set', 'built_in', 'missing']),
  /** The present effect of the capability, or of its absence, as a sentence. Contains no secret. */
  detail: z.string(),
  /** The settings that configure the capability; the settings to set first come first. */
  settings: z.array(z.string()),
  /** Page and section of the documentation, such as `configuration#payments-with-stripe`. */
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
