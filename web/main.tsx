import { render } from 'preact'
import { Root } from './application/root.tsx'

const root = document.getElementById('app')
if (root) render(<Root />, root)
