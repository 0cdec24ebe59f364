import { cut, echo, escapeMarkup, oneLine, safeText } from '../../nodes/core/text';

describe('oneLine', () => {
	it('makes one line of several', () => {
		expect(oneLine('a\n  b\r\nc\u2028d\te')).toBe('a b c d e');
	});

	it.each([
		['tag characters', 'a\u{e0041}\u{e0042}b'],
		['bidi overrides', 'a\u202eb\u2066'],
		['zero-width runs', 'a\u200b\u200c\u200d\u200b\ufeffb'],
		['controls', 'a\u0000\u001b\u009bb'],
		['soft hyphens and fillers', 'a\u00ad\u3164b'],
		['grapheme joiners', 'a\u034fb'],
		['variation selectors between letters', 'a\ufe0f\ufe00b'],
		['what Unicode calls ignorable', 'a\u180f\u{1bca0}\u{13430}\u{e01ef}b'],
	])('removes %s', (_, text) => {
		expect(oneLine(text)).toBe('ab');
	});

	it('keeps the joiners of emoji and of scripts that need them', () => {
		expect(oneLine('👩‍💻 می‌خواهم')).toBe('👩‍💻 می‌خواهم');
	});

	it('keeps one variation selector after an emoji or digit, and no run that could hide text', () => {
		expect(oneLine('❤\ufe0f 1\ufe0f\u20e3')).toBe('❤\ufe0f 1\ufe0f\u20e3');
		expect(oneLine('❤\ufe0f\ufe01\ufe02\ufe03')).toBe('❤\ufe0f');
	});

	it('replaces half characters', () => {
		expect(oneLine('a\ud800b')).toBe('a\ufffdb');
	});
});

describe('safeText', () => {
	it.each([
		'</skill_content>',
		'< / SKILL_CONTENT >',
		'<skill_content name="x">',
		'</available_skills>',
	])('defuses %s', (tag) => {
		expect(safeText(`x${tag}y`)).toBe(`x${tag.replace('<', '&lt;')}y`);
	});

	it('defuses a tag that invisible characters split', () => {
		expect(safeText('</skill\u200b_content>')).toBe('&lt;/skill_content>');
	});

	it('defuses a tag that selectors and joiners split', () => {
		expect(safeText('</skill\ufe0f\u200d\ufe0f_content>')).toBe('&lt;/skill_content>');
	});

	it('takes a moment for a long run of spaces behind what may be a tag', () => {
		const text = `<${' '.repeat(200_000)}x`;
		const started = performance.now();
		expect(safeText(text)).toBe(text);
		expect(performance.now() - started).toBeLessThan(2000);
	});

	it('removes every character that Unicode calls ignorable or a format, as far as none sees it', () => {
		const left: string[] = [];
		for (let code = 0; code <= 0x10ffff; code++) {
			const character = code >= 0xd800 && code <= 0xdfff ? 'x' : String.fromCodePoint(code);
			if (!/[\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(character)) continue;
			if (safeText(`a${character}b`) !== 'ab') left.push(code.toString(16));
		}
		const visible = ['600', '601', '602', '603', '604', '605', '6dd', '70f', '890', '891', '8e2'];
		expect(left).toEqual([...visible, '110bd', '110cd']);
	});

	it('keeps lines, tabs and other tags', () => {
		expect(safeText('a\n\t<b>c</b>')).toBe('a\n\t<b>c</b>');
	});
});

describe('cut', () => {
	it('keeps what is short enough', () => expect(cut('abc', 3)).toBe('abc'));
	it('marks where it cut', () => expect(cut('abcdef', 4)).toBe('abc…'));
	it('never splits a character', () => expect(cut('ab😀cd', 4)).toBe('ab…'));
});

it('escapes markup', () => {
	expect(escapeMarkup(`<a href="x">'&'</a>`)).toBe(
		'&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;',
	);
});

it('echoes at most a short line of what the model sent', () => {
	const text = echo('x\n'.repeat(100_000));
	expect(text).not.toContain('\n');
	expect(text.length).toBeLessThanOrEqual(80);
	expect(echo({ a: 1 })).toBe('{"a":1}');
	expect(echo(undefined)).toBe('undefined');
});
