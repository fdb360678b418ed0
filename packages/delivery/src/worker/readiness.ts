import {
  type Batching,
  createLifetime,
  type DestinationDefinition,
  grantProblem,
  type OAuth2Client,
  type Settings,
  validatePartialSettings,
  validateSettings,
} from '@tributary/connector-kit'
import { groupOfPartition, logPartitions, partitionsOf } from '@tributary/storage'
import type { DestinationEntry, WorkerContext } from '../ports.ts'
import { createGate, type Gate } from './gate.ts'
import { type Bucket, createBucket } from './rate-limit.ts'

/** What a worker needs to send: everything the entry in the cache says, made ready once per change. */
export type Ready = {
  definition: DestinationDefinition
  settings: Settings
  batching: Batching
  gate: Gate
  /** Requests under way at once. */
  concurrency: number
  /** What fails holds what is behind it. */
  ordered: boolean
  bucket: Bucket | undefined
  /** For which it needs a grant of OAuth 2. */
  client: OAuth2Client | undefined
  /** Of these settings. */
  lifetime: ReturnType<typeof createLifetime>
}

export type Readiness = {
  /** What the entry makes of the worker; `problem` says in words why it cannot send. Cheap while nothing changes. */
  look(entry: DestinationEntry): { ready: Ready | undefined; problem: string }
  /** What it said last. */
  ready(): Ready | undefined
}

/** The parts of an entry that decide, as text: the configuration cache makes new objects of all when one of them changes. */
const gateText = ({ title, mappings, consentCategories, filters }: DestinationEntry): string =>
  JSON.stringify([title, mappings ?? null, consentCategories, [...filters]])

/** Why a destination cannot send with its settings: they are not complete yet, or some break a rule of this version. */
const settingsProblem = (
  definition: DestinationDefinition,
  settings: Readonly<Record<string, unknown>>,
  errors: Readonly<Record<string, string>>,
): string => {
  const partial = validatePartialSettings(definition, settings)
  return partial.ok
    ? `Not set up yet. Missing: ${partial.missing.join(', ')}`
    : `The settings are not valid: ${Object.keys(errors).join(', ')}`
}

/**
 * Follows the entry in the configuration cache of one destination. Settings and gate are made anew when their own parts change, what is
 * left of the rate only when the rate does.
 */
export const createReadiness = (
  context: Pick<WorkerContext, 'connectors' | 'forgotten' | 'settings' | 'groups'>,
): Readiness => {
  let looked: { entry: DestinationEntry; settings: string; gate: string } | undefined
  let ready: Ready | undefined
  let problem = ''
  /** Why its grant does not serve. */
  let ungranted = ''
  let rate: { text: string; bucket: Bucket | undefined } = { text: '', bucket: undefined }

  const bucketOf = (definition: DestinationDefinition, settings: Settings, deliveries: number): Bucket | undefined => {
    const whole = definition.rate?.(settings)
    const limit = whole && { ...whole, requests: whole.requests / deliveries }
    const text = limit === undefined ? '' : `${limit.requests}/${limit.perMs}`
    if (text !== rate.text) rate = { text, bucket: limit === undefined ? undefined : createBucket(limit) }
    return rate.bucket
  }

  const make = (entry: DestinationEntry): void => {
    const definition = context.connectors.get(entry.app)
    const parsed = definition === undefined ? undefined : validateSettings(definition, entry.settings)
    void ready?.lifetime.end()
    ready = undefined
    problem = ''
    if (definition === undefined || parsed === undefined) problem = `There is no connector ${entry.app}`
    else if (!parsed.ok) problem = settingsProblem(definition, entry.settings, parsed.errors)
    else {
      const { settings } = parsed
      const ordered = definition.ordered?.(settings) === true
      // Of a workspace that is spread, several deliveries have equal shares of what the destination allows.
      const deliveries = new Set(
        partitionsOf(entry.workspaceId, entry.spread ?? 1, logPartitions).map((partition) =>
          groupOfPartition(partition, context.groups),
        ),
      ).size
      if (definition.exclusive === true && deliveries > 1) {
        problem = 'It takes one request at a time, and its workspace is in several partitions: put that into one'
        return
      }
      const concurrency = definition.concurrency ?? context.settings.concurrency
      ready = {
        definition,
        settings,
        batching: definition.batching(settings),
        gate: createGate(definition, entry, context.forgotten),
        concurrency: ordered ? 1 : Math.max(1, Math.floor(concurrency / deliveries)),
        ordered,
        bucket: bucketOf(definition, settings, deliveries),
        client: definition.oauth2?.(settings),
        lifetime: createLifetime(),
      }
    }
  }

  return {
    look: (entry) => {
      if (looked?.entry === entry) return { ready, problem: problem || ungranted }
      const settings = JSON.stringify([entry.app, entry.settings, entry.spread ?? 1])
      const gate = gateText(entry)
      const before = looked
      looked = { entry, settings, gate }
      if (before?.settings !== settings) make(entry)
      else if (before.gate !== gate && ready !== undefined)
        ready = { ...ready, gate: createGate(ready.definition, entry, context.forgotten) }
      ungranted = ready?.client === undefined ? '' : grantProblem(ready.client, entry.grant)
      return { ready, problem: problem || ungranted }
    },
    ready: () => ready,
  }
}
