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
    fi: { ...text, label: 'Initial', help: 'Of the first name. Hashed before it is sent.' },
    doby: { ...text, label: 'Year of birth', help: 'Hashed before it is sent.' },
    dobm: { ...text, label: 'Month of birth', help: 'A number. Hashed before it is sent.' },
    dobd: {
      ...text,
      label: 'Day of birth',
      help: 'A number, or the whole date of birth, which is also sent as year and month. Hashed before it is sent.',
    },
    app_id: { ...text, label: 'App ID', help: 'Of the app that has the person, if IDs of an app match people.' },
    page_id: { ...text, label: 'Page ID', help: 'Of the page that has the person, if IDs of a page match people.' },
    ig_account_id: {
      ...text,
      label: 'Instagram account ID',
      help: 'Of the account that has the person, if IDs of Instagram match people.',
    },
    audience_id: {
      type: 'string',
      kind: 'event',
      label: 'Custom Audience',
      help: 'Its ID, if it is another than that of the settings.',
      peopleList: true,
    },
    madid: { ...text, label: 'Mobile advertiser ID', help: 'IDFA or Android advertising ID.' },
    lookalike_value: {
      type: 'any',
      kind: 'property',
      label: 'Value of the person',
      help: 'A number that is not negative, for a value-based audience.',
    },
  },
})
