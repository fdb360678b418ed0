import { defineAction } from '@tributary/connector-kit'
import { clickIdOf } from '../../../wire/conversions/click-ids.ts'
import {
  conversionFields,
  externalIdField,
  hashedField,
  lastFields,
  orderFields,
  phoneField,
  phoneHelp,
  plainField,
} from '../../../wire/conversions/conversion-fields.ts'
import { metaBrowserIdOf, metaHashOf, metaNormalization } from '../../../wire/normalization/meta.ts'

/**
 * Properties of a field with personal data. Meta takes lists of hashes ("Customer Information Parameters"), and hashes of
 * its Parameter Builder. The maximum number is our own choice.
 */
const personal = { ...hashedField, maxValues: 10, vendorHash: metaHashOf } as const

const trimmed = (text: string): string => text.trim()

export const sendConversion = defineAction({
  name: 'send_conversion',
  title: 'Send conversion',
  description: 'Sends the event as a conversion. What people are matched by is hashed before it is sent.',
  fields: {
    ...conversionFields({ platform: 'Meta', pixelParameter: 'eventID', maxDays: 7 }),
    action_source: {
      label: 'Action source',
      help: 'Where it happened: website, app, phone_call, chat, email, physical_store, system_generated, or other. Without it, website.',
      ...plainField,
    },
    event_source_url: {
      label: 'Page URL',
      help: 'Where it happened. Required for website events.',
      ...plainField,
      recommended: true,
    },
    ...orderFields,
    search_string: { label: 'Search', help: 'What was searched for.', type: 'string', kind: 'property' },
    em: { label: 'Email', ...personal, recommended: true, pii: 'email', comparable: metaNormalization.email },
    ph: {
      ...phoneField,
      ...personal,
      help: phoneHelp,
      comparable: metaNormalization.phone,
      countryTarget: 'country',
    },
    external_id: { ...externalIdField, ...personal, help: externalIdField.help, comparable: metaNormalization.id },
    fn: { label: 'First name', ...personal, pii: 'name', comparable: metaNormalization.name },
    ln: { label: 'Last name', ...personal, pii: 'name', comparable: metaNormalization.name },
    ct: { label: 'City', ...personal, pii: 'text', comparable: metaNormalization.city },
    st: { label: 'State', ...personal, pii: 'text', comparable: metaNormalization.state },
    zp: { label: 'Postal code', ...personal, pii: 'text', comparable: metaNormalization.zip },
    country: {
      label: 'Country',
      ...personal,
      help: 'A code of two or three letters, or a name. Completes the phone number. Hashed before it is sent.',
      pii: 'text',
      comparable: metaNormalization.country,
    },
    ge: {
      label: 'Gender',
      ...personal,
      help: 'An English word that Meta knows, such as female, f, or Mrs. Hashed before it is sent.',
      pii: 'text',
      comparable: metaNormalization.gender,
    },
    db: {
      label: 'Date of birth',
      ...personal,
      help: 'Year, month, and day in numbers. If both orders fit, the month precedes the day. Hashed before it is sent.',
      pii: 'text',
      comparable: metaNormalization.birthday,
    },
    fbc: {
      label: 'Click ID',
      help: 'The cookie _fbc, or the parameter fbclid. Without it, fbclid of the page URL.',
      ...plainField,
      recommended: true,
      usable: (text: string) => clickIdOf('meta', text) ?? '',
    },
    fbp: { label: 'Browser ID', help: 'The cookie _fbp.', ...plainField, usable: metaBrowserIdOf },
    lead_id: { label: 'Lead ID', help: 'Of a lead ad.', ...plainField },
    client_ip_address: {
      label: 'IP address',
      help: 'Of the browser. Not hashed.',
      ...plainField,
      recommended: true,
      usable: trimmed,
    },
    client_user_agent: {
      label: 'User agent',
      help: 'Of the browser. Required for website events.',
      ...plainField,
      recommended: true,
      usable: trimmed,
    },
    ...lastFields,
  },
})
