import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ColumnChange, methods } from '@tributary/contract'
import { call } from '../../../lib/api/client.ts'
import { destinationIds } from '../../../lib/format/names.ts'
import { warehouseLoadsQuery, warehouseStatusQuery } from '../../../lib/queries/warehouse-queries.ts'
import { notify, notifyRefusal } from '../../../ui/overlays/toast.tsx'

/** Returns a function that reads the loads and the status of a warehouse again. */
const useReadAgain = (destination: string) => {
  const cache = useQueryClient()
  return (): void => {
    void cache.invalidateQueries({ queryKey: warehouseLoadsQuery(destination).queryKey })
    void cache.invalidateQueries({ queryKey: warehouseStatusQuery(destination).queryKey })
  }
}

/** Loads now what is staged. */
export const useStartLoad = (destination: string) => {
  const readAgain = useReadAgain(destination)
  return useMutation({
    mutationFn: () => call(methods.warehouseLoads.start, { params: destinationIds(destination), body: {} }),
    onSuccess: () => notify('success', 'Load Started'),
    onError: (error) => notifyRefusal('Could not start the load', error),
    onSettled: readAgain,
  })
}

const started: Readonly<Record<ColumnChange['kind'], string>> = {
  change_type: 'Type Change Started',
  rename_column: 'Rename Started',
  drop_column: 'Removal Started',
}

/** Changes the type or the name of a column, or removes the column. The dialogs show the error of a refusal. */
export const useChangeColumn = (destination: string) => {
  const readAgain = useReadAgain(destination)
  return useMutation({
    mutationFn: (change: ColumnChange) =>
      call(methods.warehouseLoads.changeColumn, { params: destinationIds(destination), body: change }),
    onSuccess: (_, { kind }) => notify('success', started[kind], { description: 'The history shows when it is done.' }),
    onSettled: readAgain,
  })
}
