import type { Client, Connection, FieldDef } from 'pg'

/** The parameters and columns of a statement. */
export type Described = { parameters: number; fields: readonly FieldDef[] }

type Message = Readonly<Record<string, unknown>>

const isFields = (fields: unknown): fields is FieldDef[] => Array.isArray(fields)

/**
 * Asks the server for the columns of a statement, which is analyzed but neither planned nor run. Rejects with the
 * server's error, also for several statements (PostgreSQL, "Extended Query": Parse, Describe).
 */
export const describeStatement = (client: Client, text: string): Promise<Described> =>
  new Promise((resolve, reject) => {
    const found: { parameters: number; fields: readonly FieldDef[] } = { parameters: 0, fields: [] }
    const onParameters = ({ dataTypeIDs }: Message): void => {
      found.parameters = Array.isArray(dataTypeIDs) ? dataTypeIDs.length : 0
    }
    let connection: Connection | undefined
    const settle = (end: () => void): void => {
      connection?.off('parameterDescription', onParameters)
      // Clears the timer of `query_timeout`: `pg` replaces the callback by one that does.
      query.callback()
      end()
    }
    const query = {
      callback: (): void => {},
      submit: (given: Connection): void => {
        connection = given
        given.once('parameterDescription', onParameters)
        given.parse({ name: '', text, types: [] }, true)
        given.describe({ type: 'S', name: '' }, true)
        given.sync()
      },
      handleRowDescription: ({ fields }: Message): void => {
        if (isFields(fields)) found.fields = fields
      },
      handleError: (error: Error): void => settle(() => reject(error)),
      handleReadyForQuery: (): void => settle(() => resolve(found)),
      // A server that sends rows to a description is ignored.
      handleDataRow: (): void => {},
      handleCommandComplete: (): void => {},
      handlePortalSuspended: (): void => {},
      handleEmptyQuery: (): void => {},
      handleCopyInResponse: (): void => {},
      handleCopyData: (): void => {},
    }
    client.query(query)
  })
