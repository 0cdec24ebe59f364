const LINE_EVERY_MS = 15_000;
const REDRAW_EVERY_MS = 500;

/** Shows what a long step is doing until the returned function is called. */
export function showProgress(title: string, detail: () => string = () => ''): () => void {
	const started = Date.now();
	const terminal = process.stdout.isTTY === true;
	const text = () => {
		const seconds = Math.round((Date.now() - started) / 1000);
		return [title, detail(), `${seconds} s`].filter((part) => part !== '').join(' · ');
	};
	const draw = () => process.stdout.write(terminal ? `\r\x1b[K  ${text()}` : `  ${text()}\n`);
	draw();
	const timer = setInterval(draw, terminal ? REDRAW_EVERY_MS : LINE_EVERY_MS);
	return () => {
		clearInterval(timer);
		draw();
		if (terminal) process.stdout.write('\n');
	};
}
