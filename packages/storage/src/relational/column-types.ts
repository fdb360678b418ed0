const settings = 'JSONColumnType<Record<string, unknown>, string | undefined, string>'

/** Types of columns that do not follow from the catalog, such as those of JSON, by table and column. */
export const columnTypes: Readonly<Record<string, string>> = {
  'audit_log.changes': 'JSONColumnType<Record<string, { before: unknown; after: unknown }>, string, string> | null',
  'audit_log.detail': settings,
  'connections.filter': 'ColumnType<unknown, string | undefined, string>',
  'data_sources.settings': settings,
  'destinations.mappings': 'ColumnType<unknown, string | null | undefined, string | null>',
  'destinations.settings': settings,
  'identity_operations.members': 'ColumnType<unknown, string | null | undefined, never>',
  'identity_settings.rules': 'JSONColumnType<object>',
  'own_connector_versions.listing': 'ColumnType<unknown, string, never>',
  'parked_deliveries.profile':
    'ColumnType<Record<string, { needs: string[]; json: string; lacks: string }> | null, string | null | undefined, string | null>',
  'person_data_places.places': 'ColumnType<unknown, string, string>',
  'profile_traits.due': 'ColumnType<Date | number | null, Date | string | null | undefined, Date | string | null>',
  'profile_traits.earlier':
    'ColumnType<{ value: string | null; time: string; event_id: string; source_id: string }[], string | undefined, string>',
  'replays.filter': 'ColumnType<unknown, string, never>',
  'replays.profile': "'latest' | 'none'",
  'replays.time_by': "'receive_time' | 'event_time'",
  'sources.settings': settings,
  'warehouse_loads.change': 'ColumnType<unknown, string | null | undefined, never>',
  'warehouse_loads.table_rows': 'ColumnType<Record<string, number>, string | undefined, string>',
  'warehouse_loads.kind': "'load' | 'change_type' | 'rename_column' | 'drop_column'",
  'warehouse_loads.state': "'waiting' | 'running' | 'succeeded' | 'failed'",
  'warehouse_loads.trigger': "'schedule' | 'user'",
  'warehouse_states.comparison': 'ColumnType<unknown, string | null | undefined, string | null>',
}
