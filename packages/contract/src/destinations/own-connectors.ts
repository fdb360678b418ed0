import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import {
  empty,
  errors,
  line,
  maskQuery,
  nextPageToken,
  pageQuery,
  reference,
  requestId,
  storableText,
  time,
  title,
} from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { catalogDestination } from '../rules/catalog.ts'
import { settingsInput } from '../rules/settings.ts'

/** Limits of destinations that workspaces describe themselves. */
export const ownConnectorLimits = {
  /** Bytes of a description, as UTF-8. */
  descriptionBytes: 256 * 1024,
  guideCharacters: 20_000,
  perWorkspace: 50,
  versions: 100,
  /** Test vectors that run. */
  vectors: 200,
  /** Time in which vectors run, ms. */
  vectorMs: 5000,
  /** Bytes of an answer that a trial shows. */
  answerBytes: 64 * 1024,
} as const

/** A JSON body of a description: quotes and line breaks are longer there. */
const bodyLimit = 2 * 1024 * 1024

const descriptionText = storableText(ownConnectorLimits.descriptionBytes)
const guideText = storableText(ownConnectorLimits.guideCharacters)

/** A description and the guide beside it. The guide is Markdown; each heading of level two begins a step. */
const texts = { description: descriptionText, guide: guideText }
/** Texts of a call. Without them, the call is about the draft. */
const givenTexts = { description: descriptionText.optional(), guide: guideText.optional() }

/** A destination that a workspace describes itself, as the list has it. */
const listedOwnConnector = z.object({
  /** `workspaces/{id}/ownConnectors/{id}`. */
  name: z.string(),
  title: z.string(),
  /** The catalog entry of the published version: `catalogDestinations/own-{id}-{version}`; '' before the first one. */
  app: z.string(),
  app_icon: z.string(),
  /** The published version; 0 before the first one. */
  current_version: z.number().int(),
  /** Whether the draft differs from the published version. */
  is_changed: z.boolean(),
  /** Number of destinations that use it. */
  destination_count: z.number().int(),
  create_time: time,
  update_time: time,
})
export type ListedOwnConnector = z.infer<typeof listedOwnConnector>

export const ownConnector = listedOwnConnector.extend({
  draft: z.object({ ...texts, /** Increases with each change of the draft. */ revision: z.number().int() }),
})
export type OwnConnector = z.infer<typeof ownConnector>

/** A published version. It never changes. */
const listedVersion = z.object({
  /** `workspaces/{id}/ownConnectors/{id}/versions/{version}`. */
  name: z.string(),
  version: z.number().int(),
  note: z.string(),
  /** Name of the author; '' for a user who is gone. */
  created_by: z.string(),
  create_time: time,
})
export type ListedOwnConnectorVersion = z.infer<typeof listedVersion>
export const ownConnectorVersion = listedVersion.extend(texts)
export type OwnConnectorVersion = z.infer<typeof ownConnectorVersion>

/** A problem of a description. */
const problem = z.object({
  /** The place in the description, such as `actions.track.fields.email.type`; '' for all of it. */
  path: z.string(),
  message: z.string(),
})

/** A test vector with its result. */
const vectorResult = z.object({
  /** The place in the description, such as `vectors.requests.0`. */
  path: z.string(),
  name: z.string(),
  ok: z.boolean(),
  /** What differs, in a sentence; '' if nothing does. */
  message: z.string(),
  /** What the vector says, and what happened, as JSON texts; '' if it passes. */
  expected: z.string(),
  actual: z.string(),
})

/** What publishing the checked texts does to a destination that uses the connector. */
const affectedDestination = z.object({
  /** `workspaces/{id}/destinations/{id}`. */
  name: z.string(),
  title: z.string(),
  /** Why the version cannot be published: settings, mappings, and syncs that do not fit it. */
  problems: z.array(z.string()),
  /** Names of required settings that it will miss. Its events are held until a user enters them. */
  missing_settings: z.array(z.string()),
  /**
   * Names of secrets that a user must enter again, because the version sends them to another host, or no longer as a
   * secret. Events are held until then.
   */
  secrets_to_enter: z.array(z.string()),
})
export type AffectedDestination = z.infer<typeof affectedDestination>

const checked = z.object({
  /** Whether it can be published: no problems, and no vector fails. */
  ok: z.boolean(),
  problems: z.array(problem),
  vectors: z.array(vectorResult),
  /** Destinations that a publication would hold, or for which it is refused. */
  destinations: z.array(affectedDestination),
  /** The entry of the catalog that it would be: settings, actions, objects, and guide. Null if it has problems. */
  app: catalogDestination.nullable(),
})
export type CheckedOwnConnector = z.infer<typeof checked>

const headers = z.array(z.object({ name: z.string(), value: z.string() }))

/** A request that was sent, with the answer. Secrets are hidden everywhere. */
const triedCall = z.object({
  request: z.object({ method: z.string(), url: z.string(), headers, body: z.string() }),
  /** Null if there was no answer; `reason` says why. */
  response: z
    .object({
      status: z.number().int(),
      headers,
      body: z.string(),
      /** Whether the answer is longer than what is shown. */
      is_cut: z.boolean(),
    })
    .nullable(),
  reason: z.string(),
  latency_ms: z.number().int(),
})
export type TriedCall = z.infer<typeof triedCall>

/** A row as a sync writes it. */
const triedRow = z.object({
  /** Name of an object of the description with rows. */
  object: line(200),
  operation: z.enum(['upsert', 'insert', 'update', 'delete']),
  /** The field that identifies the record. `values` has its value. */
  identifier: line(200),
  /** The name of an object that users name, such as a list. */
  list: line(200).default(''),
  /** The fields with their values, as the JSON text of an object. */
  values: storableText(100_000),
})

const tried = z.object({
  problems: z.array(problem),
  /** The event as JSON text; '' for a row, and for a test of the connection. */
  event: z.string(),
  /** The preset that fits the event, by its place such as `presets.0`, and its action; '' without one. */
  preset: z.string(),
  action: z.string(),
  /** The mapped payload of the action, or the values of the row, as JSON text. */
  payload: z.string(),
  /** The requests in the order in which they were sent. */
  calls: z.array(triedCall),
  /** `none`: nothing was sent. `held`: a delivery would be held, because settings or credentials are wrong. */
  outcome: z.enum(['delivered', 'retry', 'rejected', 'held', 'none']),
  /** Why the outcome is not `delivered`, or the message of the connection test. */
  reason: z.string(),
})
export type TriedOwnConnector = z.infer<typeof tried>

const invalidDescription = {
  code: 400,
  reason: 'INVALID_DESCRIPTION',
  when: 'The description has problems, or vectors that fail; `:check` lists them. metadata.description has the first.',
}

const changed = { code: 409, reason: 'DRAFT_CHANGED', when: 'The draft changed since `draft_revision`.' }

const path = '/workspaces/{workspace}/ownConnectors/{own_connector}'

export const ownConnectors = {
  list: defineMethod({
    name: 'ownConnectors.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/ownConnectors',
    access: workspaceMembers,
    summary: 'Lists the destinations that a workspace describes itself, newest first.',
    query: pageQuery,
    response: z.object({ own_connectors: z.array(listedOwnConnector), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  get: defineMethod({
    name: 'ownConnectors.get',
    verb: 'GET',
    path,
    access: workspaceMembers,
    summary: 'Gets an own connector with its draft.',
    response: ownConnector,
    errors: [errors.notFound],
  }),
  create: defineMethod({
    name: 'ownConnectors.create',
    verb: 'POST',
    path: '/workspaces/{workspace}/ownConnectors',
    access: workspaceEditors,
    summary:
      'Creates an own connector as a draft: a blank one, a copy of a described catalog entry (`from`), or from a file (`file`: a description, or an exported file).',
    request: z.object({
      /** By default that of `from` or `file`. */
      title: title.optional(),
      /** `catalogDestinations/{slug}`. */
      from: reference.optional(),
      file: storableText(2 * ownConnectorLimits.descriptionBytes).optional(),
      request_id: requestId,
    }),
    response: ownConnector,
    errors: [
      errors.invalid,
      errors.forbidden,
      errors.notFound,
      { code: 409, reason: 'TOO_MANY', when: `The workspace has ${ownConnectorLimits.perWorkspace} own connectors.` },
    ],
    bodyLimit,
  }),
  update: defineMethod({
    name: 'ownConnectors.update',
    verb: 'PATCH',
    path,
    access: workspaceEditors,
    summary: 'Changes the title or the draft. Destinations change only with `:publish`.',
    query: maskQuery,
    request: z.object({
      title: title.optional(),
      ...givenTexts,
      /** The revision that the change is based on; without it, the last save wins. */
      draft_revision: z.number().int().optional(),
    }),
    maskCompanions: { draft_revision: ['description', 'guide'] },
    response: ownConnector,
    errors: [errors.invalid, errors.forbidden, errors.notFound, changed],
    bodyLimit,
  }),
  delete: defineMethod({
    name: 'ownConnectors.delete',
    verb: 'DELETE',
    path,
    access: workspaceEditors,
    summary: 'Deletes an own connector with its versions. Its destinations must be deleted before.',
    response: empty,
    errors: [
      errors.forbidden,
      errors.notFound,
      { code: 409, reason: 'IN_USE', when: 'Destinations use it; metadata has their titles by ID.' },
    ],
  }),
  check: defineMethod({
    name: 'ownConnectors.check',
    verb: 'POST',
    path: `${path}:check`,
    access: workspaceEditors,
    reads: true,
    summary:
      'Checks the draft, or given texts: problems with their places, results of the test vectors, and destinations that a publication affects. Nothing is saved or sent.',
    request: z.object(givenTexts),
    response: checked,
    errors: [errors.invalid, errors.forbidden, errors.notFound, errors.tooMany],
    bodyLimit,
  }),
  try: defineMethod({
    name: 'ownConnectors.try',
    verb: 'POST',
    path: `${path}:try`,
    access: workspaceEditors,
    places: 'abroad',
    summary:
      'Sends one event, one row, or the test of the connection, with the draft or given texts. Returns the exact requests and answers without secrets. Not retried or logged as a delivery.',
    request: z.object({
      ...givenTexts,
      kind: z.enum(['event', 'row', 'connection']).default('event'),
      /** Settings by name. */
      settings: settingsInput.default({}),
      /**
       * `workspaces/{id}/destinations/{id}`: a destination of this connector, whose settings are used where `settings`
       * has none. Its secrets are sent only to the hosts for which they were entered.
       */
      destination: reference.optional(),
      /** `workspaces/{id}/events/{id}`: a stored event. */
      event: reference.optional(),
      /** An event as JSON text. Without both, the latest event of the workspace. */
      payload: storableText(100_000).optional(),
      /** The row of a trial of the kind `row`. */
      row: triedRow.optional(),
    }),
    response: tried,
    errors: [
      {
        code: 400,
        reason: 'VALIDATION',
        when: 'A setting, the event, or the row is invalid; metadata names it. A secret that must be entered for this trial is `settings.{name}`.',
      },
      errors.forbidden,
      errors.notFound,
      { code: 409, reason: 'SECRETS_UNREADABLE', when: 'The secrets were encrypted with another secret key.' },
      errors.tooMany,
      errors.unavailable,
    ],
    bodyLimit,
  }),
  publish: defineMethod({
    name: 'ownConnectors.publish',
    verb: 'POST',
    path: `${path}:publish`,
    access: workspaceEditors,
    followedBy: ['pipeline', 'delivery', 'signals'],
    summary:
      'Publishes the draft as a new version, and moves all destinations of the connector to it at once. Secrets that the version sends to another host must be entered again.',
    request: z.object({
      note: line(300).default(''),
      /** Whether destinations that miss settings afterwards are held. Otherwise the call is refused. */
      hold: z.boolean().default(false),
      draft_revision: z.number().int().optional(),
    }),
    response: ownConnector,
    errors: [
      invalidDescription,
      errors.forbidden,
      errors.notFound,
      changed,
      { code: 409, reason: 'NO_CHANGES', when: 'The draft is the published version.' },
      { code: 409, reason: 'TOO_MANY', when: `It has ${ownConnectorLimits.versions} versions.` },
      {
        code: 409,
        reason: 'DESTINATIONS_DO_NOT_FIT',
        when: 'Settings, mappings, or syncs of destinations do not fit; metadata has the problems by destination.',
      },
      {
        code: 409,
        reason: 'DESTINATIONS_HELD',
        when: 'Destinations would be held without `hold`; metadata has the settings to enter by destination.',
      },
    ],
  }),
  listVersions: defineMethod({
    name: 'ownConnectors.listVersions',
    verb: 'GET',
    path: `${path}/versions`,
    access: workspaceMembers,
    summary: 'Lists the published versions of an own connector, newest first.',
    query: pageQuery,
    response: z.object({ versions: z.array(listedVersion), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  getVersion: defineMethod({
    name: 'ownConnectors.getVersion',
    verb: 'GET',
    path: `${path}/versions/{version}`,
    access: workspaceMembers,
    summary: 'Gets a published version with its texts.',
    response: ownConnectorVersion,
    errors: [errors.notFound],
  }),
  export: defineMethod({
    name: 'ownConnectors.export',
    verb: 'GET',
    path: `${path}:export`,
    access: workspaceEditors,
    summary: 'Gets the draft, or a version, as a file that `create` accepts. The file has no settings of destinations.',
    query: z.object({ version: line(10).optional() }),
    response: z.object({ file_name: z.string(), file: z.string() }),
    errors: [errors.invalid, errors.notFound],
  }),
}
