import { useQuery } from '@tanstack/react-query'
import type { DataSource } from '@tributary/contract'
import { useParams } from 'react-router'
import { DetailPage, DetailView } from '../../components/detail-page.tsx'
import { paths } from '../../lib/paths.ts'
import { dataSourceQuery } from '../../lib/queries/data-source-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { lazyPart } from '../../ui/page/lazy-part.tsx'

const TablesTab = lazyPart(async () => (await import('./tables-tab.tsx')).TablesTab)
const FileTab = lazyPart(async () => (await import('./file/file-tab.tsx')).FileTab)
const ModelsTab = lazyPart(async () => (await import('./models-tab.tsx')).ModelsTab)
const SettingsTab = lazyPart(async () => (await import('./settings-tab.tsx')).SettingsTab)

const DataSourceView = ({ item: dataSource }: { item: DataSource }) => (
  <DetailView
    title={dataSource.title}
    kind={dataSource.app.title}
    state=""
    icon={dataSource.app.extra.app_icon}
    list={{ label: 'Data sources', to: paths.dataSources(useWorkspace().name) }}
    label="Data source"
    tabs={[
      dataSource.app.upload
        ? { id: 'file', name: 'File', content: <FileTab dataSource={dataSource} /> }
        : { id: 'tables', name: 'Tables', content: <TablesTab dataSource={dataSource} /> },
      { id: 'models', name: 'Models', hash: 'models', content: <ModelsTab dataSource={dataSource} /> },
      { id: 'settings', name: 'Settings', hash: 'settings', content: <SettingsTab dataSource={dataSource} /> },
    ]}
  />
)

/** One data source with its tabs. */
export const DataSourcePage = () => {
  const workspace = useWorkspace()
  const { dataSourceId } = useParams()
  const query = useQuery(dataSourceQuery(`${workspace.name}/dataSources/${dataSourceId ?? ''}`))
  return <DetailPage query={query} errorTitle="Failed to load the data source" View={DataSourceView} />
}
