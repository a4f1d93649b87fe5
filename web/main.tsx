import { render } from 'preact'
import { Root } from './application/root.tsx'

const place = document.getElementById('app')
if (place) render(<Root />, place)
