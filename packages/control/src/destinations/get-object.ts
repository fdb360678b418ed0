import { type ConnectorDeps, callConnector, readDestination, requireDefinition } from '@tributary/configuration'
import { DeliveryError, hideSecrets } from '@tributary/connector-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { AppError } from '@tributary/kernel'
import { noSuchObject } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'
import { countTry } from '../users/sign-in/count-tries.ts'

/**
 * Longest wait for a response of the destination, ms; and maximum number of requests of one workspace in 15 minutes.
 */
const withinMs = 10_000
const maxQuestions = 300
/** Maximum number of fields of an object that are shown, and maximum number of options of each field. */
const maxFields = 2000
const maxOptions = 100

type Detail = { fields: []; facts: []; message: string }
const nothing = (message: string): Detail => ({ fields: [], facts: [], message })

/**
 * Reads a description of one row object from a destination. If the destination cannot be reached, the response contains
 * a message instead.
 */
export const getDestinationObject =
  (
    deps: ConnectorDeps & Pick<ControlDeps, 'db' | 'catalog' | 'counters'>,
  ): Handler<typeof methods.destinations.getObject> =>
  async ({ workspace, params, query, signal }) => {
    const { db, catalog, counters, logger } = deps
    const row = await readDestination(db, workspace.id, params.destination)
    const definition = await requireDefinition(catalog, row, 'destination')
    const object = definition.rowObjects?.find(({ name }) => name === query.object)
    if (object === undefined)
      throw noSuchObject(
        query.object,
        (definition.rowObjects ?? []).map(({ name }) => name),
      )
    const { describeRows } = definition
    if (describeRows === undefined) return nothing('')
    await countTry(
      counters,
      [[`object-questions:${workspace.id}`, maxQuestions]],
      'Too many questions to destinations. Try again in 15 minutes',
    )
    const given = { object: object.name, name: object.named === false ? object.name : (query.object_name ?? '') }
    return await callConnector(deps, row, definition, { withinMs, signal }, async (context, secrets) => {
      const shown = (text: string): string => hideSecrets(text, secrets)
      try {
        const { fields, facts } = await describeRows(context, given)
        return {
          fields: fields.slice(0, maxFields).map(({ options, ...field }) => ({
            ...field,
            options: options.slice(0, maxOptions).map(({ value, label }) => ({ value, label })),
          })),
          facts: facts.map(({ title, value }) => ({ title, value: shown(value) })),
          message: '',
        }
      } catch (error) {
        if (error instanceof DeliveryError) return nothing(shown(error.message))
        logger.error({ err: error }, 'a connector failed to describe an object')
        return nothing('The destination could not be asked')
      }
    }).catch((error: unknown) => {
      if (error instanceof AppError || !(error instanceof DeliveryError)) throw error
      return nothing(error.message)
    })
  }
