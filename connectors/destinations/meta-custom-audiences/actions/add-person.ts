import { defineAction } from '@tributary/connector-kit'

const text = { type: 'string', kind: 'identity' } as const

export const addPerson = defineAction({
  name: 'add_person',
  title: 'Add person',
  description:
    'Adds the person to the Custom Audience for events. What they are matched by is hashed before it is sent.',
  fields: {
    extern_id: { ...text, label: 'External ID', help: 'Your own ID of the person.', required: true },
    email: { ...text, label: 'Email', help: 'Hashed before it is sent.', recommended: true },
    phone: {
      ...text,
      label: 'Phone',
      help: 'With the country code, or in national form beside the country. Hashed before it is sent.',
    },
    fn: { ...text, label: 'First name', help: 'Hashed before it is sent.' },
    ln: { ...text, label: 'Last name', help: 'Hashed before it is sent.' },
    ct: { ...text, label: 'City', help: 'Hashed before it is sent.' },
    st: { ...text, label: 'State', help: 'Hashed before it is sent.' },
    zip: { ...text, label: 'Postal code', help: 'Hashed before it is sent.' },
    country: {
      ...text,
      label: 'Country',
      help: 'A code or a name. Completes the phone number. Hashed before it is sent.',
    },
    gen: { ...text, label: 'Gender', help: 'Hashed before it is sent.' },
    madid: { ...text, label: 'Mobile advertiser ID', help: 'IDFA or Android advertising ID.' },
    lookalike_value: {
      type: 'any',
      kind: 'property',
      label: 'Value of the person',
      help: 'A number that is not negative, for a value-based audience.',
    },
  },
})
