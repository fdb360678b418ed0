import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { empty, errors, line, nextPageToken, pageQuery, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'

/** The kinds of work in a warehouse: a load of staged events, or a change of a table by a user. */
export const warehouseWorkKinds = ['load', 'change_type', 'rename_column', 'drop_column'] as const
export type WarehouseWorkKind = (typeof warehouseWorkKinds)[number]

export const warehouseLoadStates = ['waiting', 'running', 'succeeded', 'failed'] as const
export type WarehouseLoadState = (typeof warehouseLoadStates)[number]

/** Limits of the methods about warehouses. */
export const warehouseLimits = {
  /** Days for which loads are listed. */
  loadDays: 30,
  /** Changes of columns of one warehouse that can wait. */
  openChanges: 20,
  /** Characters of the name of a column. */
  columnName: 63,
} as const

const columnName = line(200).min(1, 'Required')

const newName = line(warehouseLimits.columnName)
  .regex(
    /^[\p{Ll}\p{Lo}_][\p{Ll}\p{Lo}\p{M}\p{N}_]*$/u,
    'Use lower-case letters, digits, and underscores, beginning with a letter',
  )
  // No property has such a name. Changes of types use such columns, and remove them.
  .refine((name) => !name.includes('__'), 'Use single underscores')

/** A change of a column: a new `type`, a new `name`, or its removal. */
export const columnChange = z
  .object({
    kind: z.enum(['change_type', 'rename_column', 'drop_column']),
    table: columnName,
    column: columnName,
    type: line(100).min(1, 'Required').optional(),
    name: newName.optional(),
  })
  .superRefine(({ kind, type, name }, context) => {
    const needed = kind === 'change_type' ? 'type' : kind === 'rename_column' ? 'name' : undefined
    for (const [field, value] of Object.entries({ type, name })) {
      if (field === needed && value === undefined)
        context.addIssue({ code: 'custom', path: [field], message: 'Required' })
      if (field !== needed && value !== undefined)
        context.addIssue({ code: 'custom', path: [field], message: `Leave it out for ${kind}` })
    }
  })
export type ColumnChange = z.output<typeof columnChange>

/** A load of a warehouse, or a change of one of its columns. */
export const warehouseLoad = z.object({
  /** `workspaces/{id}/destinations/{id}/warehouseLoads/{id}`. */
  name: z.string(),
  kind: z.enum(warehouseWorkKinds),
  /** For a change: what changes, such as `order_completed.total to Float64`; '' for a load. */
  change: z.string(),
  state: z.enum(warehouseLoadStates),
  /** `schedule`, or `user` for one that a user started. */
  trigger: z.enum(['schedule', 'user']),
  creator: z.object({ name: z.string(), display_name: z.string() }).nullable(),
  create_time: time,
  /** Null before it starts. */
  start_time: time.nullable(),
  finish_time: time.nullable(),
  /** Staged rows that were loaded, by table, most rows first. */
  tables: z.array(z.object({ table: z.string(), row_count: z.number().int() })),
  /** Sum of `tables`. */
  row_count: z.number().int(),
  /** Bytes of the staged rows. */
  bytes: z.number().int(),
  /** Values that no longer fit their column, and are in `extra_properties`. */
  unfit_count: z.number().int(),
  /** How often it was begun. */
  attempts: z.number().int(),
  /** Why it failed, or why its last attempt did, in the words of the warehouse; '' otherwise. */
  reason: z.string(),
  /** The statement that failed; ''. Masked for guests. */
  statement: z.string(),
})
export type WarehouseLoad = z.infer<typeof warehouseLoad>

/** The comparison of one table with what the product delivered. */
const comparedTable = z.object({
  table: z.string(),
  /** Events of the day that were delivered, each once, and rows of the table that were received on it. */
  event_count: z.number().int(),
  row_count: z.number().int(),
})

export const warehouseStatus = z.object({
  /** Minutes between two loads, and whether the vendor bills the time that a load takes. */
  every_minutes: z.number().int(),
  billed: z.boolean(),
  /** The time of the next load by schedule; null while the destination is off. */
  next_load_time: time.nullable(),
  /** All events that were received before this time are in their tables; null before the first load. */
  complete_time: time.nullable(),
  /** Events that wait to be staged. */
  waiting_event_count: z.number().int(),
  /** The seconds of the loads of the last 24 hours, and their number. */
  loads_last_day: z.number().int(),
  seconds_last_day: z.number().int(),
  /** The last comparison of a whole day (UTC); null before the first one. */
  comparison: z
    .object({ day: z.iso.date(), compare_time: time, tables: z.array(comparedTable), reason: z.string() })
    .nullable(),
})
export type WarehouseStatus = z.infer<typeof warehouseStatus>

const warehouseTable = z.object({
  table: z.string(),
  columns: z.array(z.object({ column: z.string(), type: z.string(), fixed: z.boolean() })),
})
export type WarehouseTableResource = z.infer<typeof warehouseTable>

const noWarehouse = { code: 400, reason: 'NOT_A_WAREHOUSE', when: 'The destination is not a warehouse.' }
const unreachable = { code: 412, reason: 'DESTINATION_UNREACHABLE', when: 'The warehouse could not be reached.' }

export const warehouseLoads = {
  list: defineMethod({
    name: 'warehouseLoads.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/destinations/{destination}/warehouseLoads',
    access: workspaceMembers,
    summary: 'Lists the loads of a warehouse and the changes of its columns, newest first.',
    query: pageQuery,
    response: z.object({ warehouse_loads: z.array(warehouseLoad), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  get: defineMethod({
    name: 'warehouseLoads.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/destinations/{destination}/warehouseLoads/{warehouse_load}',
    access: workspaceMembers,
    summary: 'Gets a load of a warehouse, or a change of a column.',
    response: warehouseLoad,
    errors: [errors.notFound],
  }),
  getStatus: defineMethod({
    name: 'warehouseLoads.getStatus',
    verb: 'GET',
    path: '/workspaces/{workspace}/destinations/{destination}/warehouseLoads:status',
    access: workspaceMembers,
    summary: 'Says how far the tables of a warehouse are complete, and when the next load begins.',
    response: warehouseStatus,
    errors: [noWarehouse, errors.notFound, errors.unavailable],
  }),
  start: defineMethod({
    name: 'warehouseLoads.start',
    verb: 'POST',
    path: '/workspaces/{workspace}/destinations/{destination}/warehouseLoads',
    access: workspaceEditors,
    summary: 'Loads now what is staged. A load that waits or runs already is returned.',
    request: empty,
    response: warehouseLoad,
    errors: [noWarehouse, errors.forbidden, errors.notFound],
  }),
  listTables: defineMethod({
    name: 'warehouseLoads.listTables',
    verb: 'GET',
    path: '/workspaces/{workspace}/destinations/{destination}/warehouseLoads:tables',
    access: workspaceEditors,
    places: 'abroad',
    summary:
      'Asks the warehouse for the tables of events with their columns, and lists the types that columns can get.',
    response: z.object({ tables: z.array(warehouseTable), types: z.array(z.string()) }),
    errors: [noWarehouse, errors.forbidden, errors.notFound, unreachable],
  }),
  countConversion: defineMethod({
    name: 'warehouseLoads.countConversion',
    verb: 'POST',
    path: '/workspaces/{workspace}/destinations/{destination}/warehouseLoads:countConversion',
    access: workspaceEditors,
    reads: true,
    places: 'abroad',
    summary: 'Counts in the warehouse how many values of a column would convert to another type. Changes nothing.',
    request: z.object({ table: columnName, column: columnName, type: line(100).min(1, 'Required') }),
    response: z.object({
      /** Values of the column, those that convert, and those of `extra_properties` that would come back. */
      value_count: z.number().int(),
      convert_count: z.number().int(),
      from_extra_count: z.number().int(),
      /** Some values that do not convert. They move to `extra_properties`. */
      examples: z.array(z.string()),
    }),
    errors: [errors.invalid, noWarehouse, errors.forbidden, errors.notFound, unreachable],
  }),
  changeColumn: defineMethod({
    name: 'warehouseLoads.changeColumn',
    verb: 'POST',
    path: '/workspaces/{workspace}/destinations/{destination}/warehouseLoads:changeColumn',
    access: workspaceEditors,
    summary:
      'Changes the type or the name of a column, or removes the column. Runs before the next load, and is repeated until it succeeds or the warehouse refuses it.',
    request: columnChange,
    response: warehouseLoad,
    errors: [
      errors.invalid,
      noWarehouse,
      errors.forbidden,
      errors.notFound,
      { code: 409, reason: 'TOO_MANY_CHANGES', when: 'Many changes wait already.' },
    ],
  }),
}
