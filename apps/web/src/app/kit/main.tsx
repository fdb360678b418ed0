import '../../ui/theme.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createBrowserRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { useUi } from '../../lib/browser/ui-store.ts'
import { Toaster } from '../../ui/overlays/toast.tsx'
import { TooltipProvider } from '../../ui/overlays/tooltip.tsx'
import { KitPage } from './kit-page.tsx'

const Kit = () => {
  const theme = useUi((state) => state.theme)
  return (
    <>
      <KitPage />
      <Toaster theme={theme} />
    </>
  )
}

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no root element')

createRoot(root).render(
  <StrictMode>
    <TooltipProvider>
      <RouterProvider router={createBrowserRouter([{ path: '*', Component: Kit }])} />
    </TooltipProvider>
  </StrictMode>,
)
