import { gzipSync } from 'node:zlib'
import { parquetWriteBuffer } from 'hyparquet-writer'

/**
 * Returns a Parquet file of texts, in one row group. Each column has as many values as there are rows; null means no
 * value. Equal rows give equal bytes.
 */
export const writeTexts = (
  columns: readonly { name: string; values: readonly (string | null)[] }[],
  compression: 'none' | 'gzip',
): Uint8Array =>
  new Uint8Array(
    parquetWriteBuffer({
      columnData: columns.map(({ name, values }) => ({
        name,
        data: [...values],
        type: 'STRING',
        nullable: true,
        offsetIndex: false,
      })),
      codec: compression === 'gzip' ? 'GZIP' : 'UNCOMPRESSED',
      compressors: { GZIP: gzipSync },
      rowGroupSize: Number.POSITIVE_INFINITY,
      // Without statistics: they would show readers the lowest and the highest text of a column, which readers do not
      // need.
      statistics: false,
      createdBy: 'Tributary',
    }),
  )
