import { clickIdOf } from '../../../wire/conversions/click-ids.ts'
import { withDefaultCountry } from '../../../wire/conversions/default-settings.ts'
import { consentFields, contactFields } from '../../../wire/google/data-manager-fields.ts'

const plain = { type: 'string', kind: 'context' } as const
const click = { ...plain, usable: (text: string) => clickIdOf('google', text) ?? '' } as const

/** The fields that both actions have: the user of a conversion, and the consent. */
export const personFields = {
  conversion_action_id: {
    label: 'Conversion action',
    help: 'Its number, if it is another than that of the settings.',
    type: 'string',
    kind: 'event',
  },
  gclid: {
    label: 'Google click ID',
    help: 'The parameter gclid of the link. Without it, gclid of the page URL.',
    ...click,
    recommended: true,
  },
  gbraid: { label: 'App click ID', help: 'The parameter gbraid of the link.', ...click },
  wbraid: { label: 'Web click ID', help: 'The parameter wbraid of the link.', ...click },
  page_url: { label: 'Page URL', help: 'Only click IDs are read from it. It is not sent.', ...plain },
  ...contactFields,
  phone: { ...contactFields.phone, ...withDefaultCountry },
  ...consentFields,
} as const
