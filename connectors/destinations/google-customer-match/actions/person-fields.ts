import { contactFields } from '../../../wire/google/data-manager-fields.ts'

/** The fields by which a person is added and removed: "AudienceMember" of the Data Manager API. */
export const personFields = {
  ...contactFields,
  mobile_id: {
    label: 'Mobile advertiser ID',
    help: 'IDFA or Android advertising ID, or a list. For a list of mobile IDs. Not hashed.',
    type: 'array',
    kind: 'identity',
  },
  user_id: {
    label: 'User ID',
    help: 'Your own ID of the person. For a list of user IDs. Not hashed.',
    type: 'string',
    kind: 'identity',
  },
  list_id: {
    label: 'Customer list',
    help: 'Its number, if it is another than that of the settings.',
    type: 'string',
    kind: 'event',
    peopleList: true,
  },
} as const
