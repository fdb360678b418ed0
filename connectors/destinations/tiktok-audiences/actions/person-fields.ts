import { withDefaultCountry } from '../../../wire/conversions/default-settings.ts'
import { advertisingIdTarget, emailTarget, phoneTarget } from '../match-ids.ts'

const identity = { type: 'string', kind: 'identity' } as const

/** The fields by which a person is added and removed. */
export const personFields = {
  email: {
    ...identity,
    ...emailTarget,
    label: 'Email',
    help: 'Normalized and hashed before it is sent.',
    recommended: true,
  },
  phone: {
    ...identity,
    ...phoneTarget,
    ...withDefaultCountry,
    label: 'Phone',
    help: 'With the country code, or in national form beside the country. Normalized and hashed before it is sent.',
    recommended: true,
    countryTarget: 'country',
  },
  country: { ...identity, label: 'Country', help: 'A code or a name. Completes the phone number. Not sent itself.' },
  advertising_id: {
    ...identity,
    ...advertisingIdTarget,
    label: 'Mobile advertiser ID',
    help: 'IDFA of iOS, or the advertising ID of Android. Hashed before it is sent.',
  },
  device_type: {
    ...identity,
    label: 'System',
    help: 'iOS or Android. Decides of which kind the mobile advertiser ID is. Without it, IDFA.',
  },
  audience_id: {
    label: 'Audience',
    help: 'Its ID, if it is another than that of the settings.',
    type: 'string',
    kind: 'event',
    peopleList: true,
  },
} as const
