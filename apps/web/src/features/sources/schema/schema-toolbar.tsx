import { Braces, Copy, Download, Ellipsis, History, Plus, Sparkles, Upload } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { SearchInput } from '../../../ui/forms/input.tsx'
import { Menu, MenuItem } from '../../../ui/overlays/menu.tsx'

/** The tools of the schema; each opens a dialog. */
export type SchemaTool = 'json' | 'import' | 'history' | 'proposal'

/** Shown at tools that save a whole schema while they are disabled. */
export const unsavedNote = 'Save or discard your changes first'

/** Search and tools above the list of events. */
export const SchemaToolbar = ({
  search,
  onSearch,
  mayEdit,
  dirty,
  onTool,
  onAddEvent,
  onExport,
  onCopy,
}: {
  search: string
  onSearch: (search: string) => void
  mayEdit: boolean
  dirty: boolean
  onTool: (tool: SchemaTool) => void
  onAddEvent: () => void
  onExport: () => void
  onCopy: () => void
}) => (
  <div className="flex flex-wrap items-center gap-2">
    <SearchInput
      label="Search events and properties"
      value={search}
      onChange={(event) => onSearch(event.currentTarget.value)}
      className="sm:mr-auto sm:w-auto sm:max-w-72 sm:min-w-64 sm:flex-1"
    />
    {mayEdit && (
      <>
        <Button onClick={onAddEvent}>
          <Plus aria-hidden className="max-sm:hidden" />
          Add event
        </Button>
        <Button disabled={dirty} title={dirty ? unsavedNote : undefined} onClick={() => onTool('proposal')}>
          <Sparkles aria-hidden className="max-sm:hidden" />
          Suggest
        </Button>
      </>
    )}
    <Button onClick={() => onTool('history')}>
      <History aria-hidden className="max-sm:hidden" />
      History
    </Button>
    <Menu
      align="end"
      trigger={
        <Button square aria-label="More schema actions">
          <Ellipsis aria-hidden />
        </Button>
      }
    >
      <MenuItem icon={<Braces aria-hidden />} onSelect={() => onTool('json')}>
        {mayEdit ? 'Edit as JSON' : 'Show as JSON'}
      </MenuItem>
      {mayEdit && (
        <MenuItem
          icon={<Upload aria-hidden />}
          disabled={dirty}
          tooltip={unsavedNote}
          onSelect={() => onTool('import')}
        >
          Import
        </MenuItem>
      )}
      <MenuItem icon={<Download aria-hidden />} onSelect={onExport}>
        Export as file
      </MenuItem>
      <MenuItem icon={<Copy aria-hidden />} onSelect={onCopy}>
        Copy as JSON
      </MenuItem>
    </Menu>
  </div>
)
