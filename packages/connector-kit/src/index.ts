export type {
  CursorKind,
  DataColumn,
  DataQuery,
  DataTable,
  KeyCheck,
  KnownColumn,
  PersonDataKind,
} from '@tributary/contract'
export { conversionNames, emailOf, fileTable, phoneOf, readPhone } from '@tributary/contract'
export {
  type CharsetFault,
  campaignIn,
  charsetOf,
  clickIdsIn,
  computableJson,
  cutText,
  ExactNumber,
  forgetBoardThread,
  formParams,
  isJsonObject,
  type JsonObject,
  joinThreadBoard,
  mapInPieces,
  parseExactJson,
  readTime,
  readTimeText,
  type WorkNote,
  withoutEnd,
  withoutEnds,
  workOfCall,
} from '@tributary/kernel'
export * from './definition/action.ts'
export * from './definition/data-source.ts'
export * from './definition/definition.ts'
export * from './definition/definition-problems.ts'
export * from './definition/deleted-user.ts'
export * from './definition/listed-connector.ts'
export * from './definition/people-lists.ts'
export * from './definition/row-objects.ts'
export * from './definition/schema-outline.ts'
export * from './definition/setting.ts'
export * from './definition/settings.ts'
export * from './definition/source-definition.ts'
export * from './definition/source-problems.ts'
export * from './definition/warehouse.ts'
export * from './errors.ts'
export * from './http/answer-object.ts'
export * from './http/egress.ts'
export * from './http/failed-outcome.ts'
export * from './http/guarded-socket.ts'
export * from './http/held-groups.ts'
export * from './http/lifetime.ts'
export * from './http/network-error.ts'
export * from './http/not-sent.ts'
export * from './http/oauth2.ts'
export * from './http/redaction.ts'
export * from './http/refused-in-row.ts'
export * from './http/request-client.ts'
export * from './http/send-request.ts'
export * from './http/webhook-signature.ts'
export * from './mapping/compile.ts'
export * from './mapping/conversion-values.ts'
export { defaultText } from './mapping/defaults.ts'
export * from './mapping/event-profile.ts'
export { type PersonalTarget, personalDataProblem, personalHashes, readHash } from './mapping/hash-personal-data.ts'
export { personPathsWithValue } from './mapping/person-data.ts'
export * from './mapping/presets.ts'
export * from './mapping/problems.ts'
export {
  consentNeed,
  consentPreferencesOf,
  outOfDateConsent,
  type ProfileConsent,
  withConsent,
} from './mapping/profile-consent.ts'
export * from './mapping/signal-mappings.ts'
export * from './mapping/signal-presence.ts'
export { eventBudget } from './mapping/sources.ts'
export * from './statement-end.ts'
export * from './templates/json-template.ts'
export { spending, TooMuchWork } from './templates/template-work.ts'
export * from './tracking/fit-event.ts'
export * from './tracking/tracking-call.ts'
export * from './tracking/tracking-forwarder.ts'
