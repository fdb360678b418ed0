import './ui/theme.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router/dom'
import { setNavigator } from './app/listen-to-errors.ts'
import { AppBoundary } from './app/routes/route-error.tsx'
import { router } from './app/routes/router.tsx'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no root element')

setNavigator((path) => void router.navigate(path))

createRoot(root).render(
  <StrictMode>
    <AppBoundary>
      <RouterProvider router={router} />
    </AppBoundary>
  </StrictMode>,
)
