import { Inbox, Plus } from 'lucide-react'
import { ListPage, TitleCell } from '../../components/list-page.tsx'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import type { Column } from '../../ui/lists/data-table.tsx'
import { ListView, stateFilter, typeFilter } from '../../ui/lists/list-view.tsx'
import { Guide, useExample } from './pattern-guide.tsx'

type Row = { id: string; title: string; type: string; state: 'on' | 'off' }
const types = ['Web', 'iOS', 'Android']
const all: readonly Row[] = Array.from({ length: 30 }, (_, index) => ({
  id: `${index}`,
  title: `Object ${index}`,
  type: types[index % types.length] ?? '',
  state: index % 4 === 0 ? 'off' : 'on',
}))
const titles = { on: 'Enabled', off: 'Disabled' } as const
const columns: readonly Column<Row>[] = [
  {
    id: 'title',
    header: 'Title',
    value: ({ title }) => title,
    cell: ({ title }) => <TitleCell icon="" title={title} to="?pattern=detail" />,
  },
  { id: 'type', header: 'Type', value: ({ type }) => type, cell: ({ type }) => type, width: 'sm:w-32', wide: true },
  {
    id: 'state',
    header: 'Status',
    value: ({ state }) => state,
    cell: ({ state }) => <Badge tone={state === 'on' ? 'success' : 'outline'}>{titles[state]}</Badge>,
    width: 'sm:w-32',
  },
]
const filters = [typeFilter(types), stateFilter(['on', 'off'], titles)]
const narrow = ({ search, type, state }: Record<'search' | 'type' | 'state', string>): readonly Row[] =>
  all.filter(
    (row) =>
      row.title.toLowerCase().includes(search.trim().toLowerCase()) &&
      (type === '' || row.type === type) &&
      (state === '' || row.state === state),
  )
const idOf = ({ id }: Row): string => id
const titleOf = ({ title }: Row): string => title

/** The list page in each state. An action fails for every seventh row. */
export const ListPattern = () => {
  const query = useExample<readonly Row[]>(all, [])
  return (
    <>
      <Guide
        hasStates
        use="For whatever people make many of and look for again. A page uses ListPage with a ListView inside; a list that is one part of a page uses ListView alone; a list that comes by pages ends with LoadMore."
        fill={[
          ['empty', 'What it is for, and the one way to make the first. No filters above nothing.'],
          ['filters', 'One choice each, stable between renders; their values are in the address.'],
          ['narrow', 'A pure function of rows and values, in a file of its own with a table test.'],
          ['columns', 'The title first. A width each, or none; wide for what a phone does without.'],
          ['bulk', 'Only for those who may change it. The bar asks before, and lists what failed.'],
        ]}
        narrow="columns that are wide leave, the title is cut short, filters wrap. The table never scrolls sideways."
      />
      <ListPage
        title="Objects"
        description="What people make many of."
        query={query}
        errorTitle="Failed to load the objects"
        action={
          <ButtonLink to="?pattern=create" variant="primary">
            <Plus aria-hidden />
            Add object
          </ButtonLink>
        }
        empty={{ icon: <Inbox />, title: 'Add your first object', text: 'What an object is, and what comes of it.' }}
      >
        {(rows) => (
          <ListView
            label="Objects"
            noun="object"
            total={rows.length}
            filters={filters}
            narrow={narrow}
            columns={columns}
            idOf={idOf}
            titleOf={titleOf}
            bulk={{
              refresh: () => undefined,
              actions: [
                {
                  label: 'Delete',
                  done: 'deleted',
                  danger: true,
                  text: 'They are gone then.',
                  run: ({ id }) =>
                    Number(id) % 7 === 0 ? Promise.reject(new Error('The server said no.')) : Promise.resolve(),
                },
              ],
            }}
          />
        )}
      </ListPage>
    </>
  )
}
